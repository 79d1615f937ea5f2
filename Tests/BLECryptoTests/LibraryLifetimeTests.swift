import BLECrypto
import Foundation
import Testing

@Suite struct LibraryLifetimeTests {
  @Test("encryption still works in code that runs after exit was called")
  func encryptionStillWorksInCodeThatRunsAfterExit() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // Handlers registered before libcrypto's run after its own end.
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
