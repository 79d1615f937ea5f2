import BLECore
import BLEFaults

/// Faults of this device: for simulated devices, and for real ones that a test of their peers needs to be faulty.
extension HostStack {
  /// Sets the faults of this device in place of all earlier ones, and counts from the beginning. From any thread.
  /// - Parameters:
  ///   - faults: those that have a `mistake` never strike. Without any, packets pass as if there had been none.
  ///   - seed: for faults with a probability.
  ///   - radio: what the host cannot do itself; without it, a reset of the controller is a restart of the host, and a device that is silent
  ///     keeps its links and loses its packets above them.
  ///   - didStrike: called on the loop for each fault that strikes, with the loop's time.
  public func setFaults(
    _ faults: [Fault], seed: UInt64, radio: FaultRadio? = nil,
    didStrike: @escaping @Sendable (Fault, StackInstant) -> Void = { _, _ in }
  ) {
    onLoop { stack in
      stack.faults?.end()
      stack.faults = nil
      guard !faults.isEmpty else { return }
      stack.faults = HostFaults(
        stack: stack, faults: faults.filter { $0.mistake == nil }, chance: SeededEntropy(seed: seed), radio: radio,
        didStrike: didStrike)
    }
  }

  /// Causes a fault once: at once if it needs no packet, otherwise at the next occurrence of its event. The arguments are those of
  /// `setFaults`, and are used if no faults were set. From any thread.
  public func cause(
    _ fault: Fault, seed: UInt64, radio: FaultRadio? = nil,
    didStrike: @escaping @Sendable (Fault, StackInstant) -> Void = { _, _ in }
  ) {
    onLoop { stack in
      let faults =
        stack.faults
        ?? HostFaults(
          stack: stack, faults: [], chance: SeededEntropy(seed: seed), radio: radio, didStrike: didStrike)
      stack.faults = faults
      faults.cause(fault)
    }
  }
}
