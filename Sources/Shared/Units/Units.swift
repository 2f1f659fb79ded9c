// Units
