internal import BLEAdapter
internal import BLECore

// What the defaults of optional delegate methods do: it is how one notices that the program has none of its own.

/// Callbacks that newer ones took the place of, out of the sight of the compiler's warnings.
protocol OlderCallbacks {
  func handOnRSSI(_ error: (any Error)?)
}

extension CBPeripheral: OlderCallbacks {
  /// The delegate does not have the newer callback; it may have the older.
  @available(*, deprecated)
  func handOnRSSI(_ error: (any Error)?) { delegate?.peripheralDidUpdateRSSI(self, error: error) }

  /// In Apple's words, as programs' logs show them.
  func nobodyTakesChange() {
    context.adapter.log.log(
      .warning, "WARNING: The delegate for \(description) does not implement -[peripheral:didModifyServices:]")
  }

  /// A command whose answer nobody can take is carried out all the same.
  func noticeIfUnheard(_ action: String, _ callback: String) {
    guard delegate == nil else { return }
    context.adapter.log.misuse(
      "\(action) \(description) while delegate is either nil or does not implement \(callback)")
  }
}
