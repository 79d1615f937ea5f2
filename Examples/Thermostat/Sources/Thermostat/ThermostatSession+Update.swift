import CoreBluetooth
import Foundation

extension ThermostatSession {
  /// Installs a firmware image; an interrupted transfer continues where the thermostat has confirmed it, also after a restart of
  /// the app. `Event.updateComplete` says that it is in use.
  public func install(_ image: Data) {
    queue.async { [self] in
      guard !image.isEmpty else { return }
      memory.pendingImage = image
      beginUpdate()
    }
  }

  /// How long the thermostat may take to answer or to confirm a block.
  private static var patience: Duration { .seconds(5) }

  /// Asks the thermostat where it wants the image to continue.
  func beginUpdate() {
    stopUpdate()
    guard phase == .ready, let image = memory.pendingImage, let control = attributes[Profile.updateControl] else {
      return
    }
    let command = UpdateCommand.begin(size: UInt32(clamping: image.count), checksum: Checksum.of(image))
    peripheral?.writeValue(command.octets, for: control, type: .withResponse)
    expectAnswer()
  }

  func stopUpdate() {
    transfer = nil
    updateTimer?.cancel()
    updateTimer = nil
  }

  private func expectAnswer() {
    updateTimer?.cancel()
    updateTimer = clock.start(after: Self.patience, on: queue) { [weak self] in self?.beginUpdate() }
  }

  func receive(_ answer: UpdateAnswer) {
    guard let image = memory.pendingImage else { return }
    switch answer {
    case .complete: finishUpdate()
    case .expects(let offset):
      // Said twice, where it was asked twice: a block that is sent twice would be answered twice, and so on to the end.
      if transfer?.offset == Int(offset) { return }
      var transfer = UpdateTransfer(image: image)
      // Where the image has no such offset, the next question comes after the patience.
      guard transfer.begin(at: Int(offset)) else { return expectAnswer() }
      self.transfer = transfer
      expectAnswer()
      sendFragments()
    }
  }

  /// As much of the current block as the system takes now; `peripheralIsReady(toSendWriteWithoutResponse:)` continues.
  func sendFragments() {
    guard phase == .ready, let peripheral, let data = attributes[Profile.updateData], var transfer = transfer,
      !transfer.isBlockHandedOver
    else { return }
    let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
    while peripheral.canSendWriteWithoutResponse, let fragment = transfer.nextFragment(upTo: length) {
      peripheral.writeValue(fragment, for: data, type: .withoutResponse)
    }
    self.transfer = transfer
    if transfer.isBlockHandedOver, transfer.isLastBlock { lastFragmentWasHandedOver() }
  }

  func finishUpdate() {
    stopUpdate()
    memory.pendingImage = nil
    onEvent(.updateComplete)
  }
}
