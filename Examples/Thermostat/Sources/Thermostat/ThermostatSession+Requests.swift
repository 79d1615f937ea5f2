import CoreBluetooth
import Foundation

extension ThermostatSession {
  /// Sets the temperature that is wanted, in hundredths of a degree Celsius. Without a link it waits for the next one.
  public func setTarget(_ hundredths: Int16, completion: @escaping @Sendable (Result<Void, RequestError>) -> Void) {
    submit(.target, TemperatureValue.octets(hundredths), completion)
  }

  /// Locks the knob. The thermostat demands a pairing: the first time the system asks the user.
  public func setChildLock(_ isOn: Bool, completion: @escaping @Sendable (Result<Void, RequestError>) -> Void) {
    submit(.childLock, Data([isOn ? 1 : 0]), completion)
  }

  /// The number of requests that wait for their turn or for a link.
  public var waitingRequests: Int { waiting.count }

  private func submit(
    _ kind: Request.Kind, _ value: Data, _ completion: @escaping @Sendable (Result<Void, RequestError>) -> Void
  ) {
    queue.async { [self] in
      enqueue(Request(kind: kind, value: value, completion: completion))
      sendNext()
    }
  }

  func sendNext() {
    guard phase == .ready, current == nil, let next = waiting.first, let characteristic = attribute(for: next) else {
      return
    }
    waiting.removeFirst()
    current = next
    timeOut = clock.start(after: next.timeLimit, on: queue) { [weak self] in self?.requestTimedOut() }
    peripheral?.writeValue(next.value, for: characteristic, type: .withResponse)
  }

  func receiveAnswer(of characteristic: CBUUID, _ error: (any Error)?) {
    guard let request = current, request.characteristic == characteristic else { return }
    if let error {
      finish(request, .failure(.refused(code: (error as NSError).code)))
    } else {
      if request.kind == .target { TemperatureValue.hundredths(request.value).map(targetWasWritten) }
      finish(request, .success(()))
    }
  }

  /// An answer that comes later than this could be taken for that of the next request: a new link has none of them.
  private func requestTimedOut() {
    guard let request = current else { return }
    finish(request, .failure(.timedOut))
    hangUp()
  }

  private func finish(_ request: Request, _ result: Result<Void, RequestError>) {
    stopTimeOut()
    current = nil
    request.completion(result)
    sendNext()
  }
}
