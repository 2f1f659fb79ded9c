// CommandLineOptions
