// The Redis wire protocol, by hiredis 0.14 (Debian 12). Only the module Redis imports this.
#include <hiredis/hiredis.h>
#include <hiredis/sds.h>
