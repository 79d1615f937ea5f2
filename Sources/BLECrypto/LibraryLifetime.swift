import CLibcrypto

/// How long libcrypto can be used.
public enum LibraryLifetime {
  /// Keeps libcrypto usable to the last moment of the process. By itself it tidies up when `exit` begins, and whoever encrypts
  /// on another thread meanwhile, as links do that are being closed, crashes. To be called before anything else of it is used.
  public static func untilTheEnd() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
