#include <sqlite3.h>

/* sqlite3_db_config takes any number of arguments, which Swift cannot call. */
static inline int sqlite3_set_flag(sqlite3 *database, int flag, int value) {
  return sqlite3_db_config(database, flag, value, (int *)0);
}
