import BLECrypto
import Foundation
import Testing

@Suite struct LibraryLifetimeTests {
  @Test func `what ends after exit has begun can still encrypt`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // What is registered before libcrypto comes after its own end.
      atexit {
        let block = AES128(key: SecretKey(AESBlock.zero)).encrypt(.zero)
        if block != AES128(key: SecretKey(AESBlock.zero)).encrypt(.zero) { abort() }
      }
      LibraryLifetime.untilTheEnd()
      _ = AES128(key: SecretKey(AESBlock.zero)).encrypt(.zero)
      exit(7)
    }
  }
}
