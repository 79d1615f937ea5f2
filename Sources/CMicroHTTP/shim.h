#pragma once

#include <microhttpd.h>
#include <sys/stat.h>

// MHD_start_daemon takes its options as variable arguments, which Swift cannot pass: here they are an array that ends
// with MHD_OPTION_END.
static inline struct MHD_Daemon *micro_http_start(unsigned int flags, MHD_AccessHandlerCallback handler, void *context,
                                                  const struct MHD_OptionItem *options) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

// The same reason: MHD_get_connection_info has variable arguments.
static inline const struct sockaddr *micro_http_client(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

static inline int micro_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// What tells one socket from all others; 0 for none.
static inline uint64_t micro_http_inode(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? (uint64_t)status.st_ino : 0;
}

// Macros with casts, which Swift does not import.
static const uint64_t micro_http_unknown_size = MHD_SIZE_UNKNOWN;
static const ssize_t micro_http_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
