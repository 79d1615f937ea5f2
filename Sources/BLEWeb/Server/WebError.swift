package enum WebError: Error, Equatable {
  /// libmicrohttpd refuses, as it does for an unusable certificate.
  case start
  /// The address is none in digits.
  case address
  /// The system's error number from making the socket.
  case listen(Int32)
  /// This is no name of a machine.
  case name(String)
  /// Why there is no certificate: a sentence without its full stop.
  case certificate(String)
  /// Why there is no token: the same.
  case token(String)
}
