import CLibcrypto

/// The lifetime of libcrypto.
public enum LibraryLifetime {
  /// Keeps libcrypto usable until the process has ended. By default it frees its state when `exit` begins, and another thread
  /// that encrypts at that time, as for links that are being closed, crashes. To be called before anything else of libcrypto is
  /// used.
  public static func untilTheEnd() { OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) }
}
