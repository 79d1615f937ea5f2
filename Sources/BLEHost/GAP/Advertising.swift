import BLEAdapter
import BLECore
import BLEWire

/// The advertisements of all peripherals of the process. A value without I/O: inputs return the actions to perform, in order.
///
/// If the controller supports advertising sets, each peripheral uses one; otherwise only one peripheral can advertise, and a second
/// one is refused with `outOfSpace`. A controller stops connectable advertising when a central connects; it is then restarted at a
/// longer interval, so that others find the device, too.
struct Advertising {
  typealias Role = ObjectIdentifier

  /// One use of an advertising handle. The number tells it from earlier uses, whose answers may still come.
  struct Set: Hashable {
    let handle: LEAdvertisingHandle
    let number: Int
  }

  /// The interval, and the form of the data.
  struct Settings: Equatable {
    var interval: StackDuration
    var isInBackground = false
  }

  enum Input {
    /// A role starts to advertise; answered by `finish` with this number.
    case start(LocalAdvertisement, by: Role, request: Int)
    case stop(by: Role)
    /// The controller refused to set up a set.
    case refused(Set, HCIErrorCode)
    /// The controller's answer to `enable`.
    case enabled(Set, HCIErrorCode)
    /// The controller has stopped this set, or all if `nil`, because a central connected.
    case stoppedByController(LEAdvertisingHandle?)
    /// The settings may have changed, or there may be room for advertisements that the controller refused.
    case update
    case setManufacturerData(ManufacturerData?)
    /// Advertising must be disabled until `resume`, which sets the device's address.
    case pause
    case resume
  }

  enum Action: Equatable {
    /// Answered by `refused`, if it was; as are `setAddress` and `setData`.
    case setParameters(Set, interval: StackDuration)
    case setAddress(Set)
    case setData(Set, advertisingData: [UInt8], scanResponseData: [UInt8])
    /// Answered by `enabled`.
    case enable(Set)
    case disable(Set)
    case remove(Set)
    case finish(request: Int, PublishError?)
    /// The controller has no room with this many links; the set is enabled again when a link ends.
    case reportPause(HCIErrorCode)
  }

  private struct Advertisement {
    let set: Set
    let role: Role
    let content: LocalAdvertisement
    var settings: Settings
    /// The start that is not answered; `nil` once the controller has started the advertisement.
    var request: Int?
    /// Starts of the same role that wait for the answer to the first.
    var waiting: [(content: LocalAdvertisement, request: Int)] = []
    /// Whether the controller is believed to send it.
    var isOn = true
  }

  private var advertisements: [Advertisement] = []
  private var lastNumber = 0
  /// How many advertisements the controller can send at the same time.
  var limit = 1
  /// Advertised in addition to the applications' data: Core Bluetooth does not let applications set it.
  private var manufacturerData: ManufacturerData?

  /// Whether the controller is believed to advertise for `role`.
  func isAdvertising(for role: Role) -> Bool { advertisements.contains { $0.role == role && $0.isOn } }

  /// The controller was reset or removed, and with it its advertisements.
  mutating func reset() { advertisements = [] }

  mutating func handle(_ input: Input, _ settings: Settings) -> [Action] {
    switch input {
    case .start(let content, let role, let request): return start(content, role, request, settings)
    case .stop(let role):
      guard let index = advertisements.firstIndex(where: { $0.role == role }) else { return [] }
      let ended = advertisements[index]
      return remove(at: index) + finish(ended)
    case .refused(let set, let status): return failed(set, status, settings)
    case .enabled(let set, let status): return enabled(set, status, settings)
    case .stoppedByController(let handle):
      for index in advertisements.indices where handle == nil || advertisements[index].set.handle == handle {
        advertisements[index].isOn = false
      }
      return update(settings)
    case .update: return update(settings)
    case .setManufacturerData(let data):
      manufacturerData = data
      return advertisements.map { setData($0) }
    case .pause: return advertisements.filter(\.isOn).map { Action.disable($0.set) }
    case .resume:
      let running = advertisements.filter(\.isOn)
      return advertisements.map { Action.setAddress($0.set) } + running.map { Action.enable($0.set) }
    }
  }

  private mutating func start(
    _ content: LocalAdvertisement, _ role: Role, _ request: Int, _ settings: Settings
  ) -> [Action] {
    if let index = advertisements.firstIndex(where: { $0.role == role }) {
      if advertisements[index].request == nil { return [.finish(request: request, .alreadyAdvertising)] }
      advertisements[index].waiting.append((content, request))
      return []
    }
    let taken = advertisements.map(\.set.handle.rawValue)
    guard let handle = (0..<UInt8(clamping: min(limit, 0xF0))).first(where: { !taken.contains($0) }) else {
      return [.finish(request: request, .outOfSpace)]
    }
    lastNumber += 1
    let advertisement = Advertisement(
      set: Set(handle: LEAdvertisingHandle(rawValue: handle), number: lastNumber), role: role, content: content,
      settings: settings, request: request)
    advertisements.append(advertisement)
    return [
      .setParameters(advertisement.set, interval: settings.interval), setData(advertisement),
      .enable(advertisement.set),
    ]
  }

  private mutating func remove(at index: Int) -> [Action] {
    let set = advertisements.remove(at: index).set
    return [.disable(set), .remove(set)]
  }

  /// Answers the start of an advertisement, and those that waited for it, if it is not answered.
  private func finish(_ advertisement: Advertisement) -> [Action] {
    guard let request = advertisement.request else { return [] }
    return [.finish(request: request, nil)]
      + advertisement.waiting.map { Action.finish(request: $0.request, .alreadyAdvertising) }
  }

  private mutating func enabled(_ set: Set, _ status: HCIErrorCode, _ settings: Settings) -> [Action] {
    guard let index = advertisements.firstIndex(where: { $0.set == set }) else { return [] }
    if status.isSuccess {
      let actions = finish(advertisements[index])
      advertisements[index].request = nil
      advertisements[index].waiting = []
      // The settings may have changed while it was being started.
      return actions + (advertisements[index].settings == settings ? [] : update(settings))
    }
    if advertisements[index].request != nil { return failed(set, status, settings) }
    advertisements[index].isOn = false
    return [.reportPause(status)]
  }

  /// The controller refused a start, which is answered; the next start of the role that waits is performed.
  private mutating func failed(_ set: Set, _ status: HCIErrorCode, _ settings: Settings) -> [Action] {
    guard let index = advertisements.firstIndex(where: { $0.set == set }), let request = advertisements[index].request
    else { return [] }
    let (role, waiting) = (advertisements[index].role, advertisements[index].waiting)
    let isFull = status == .memoryCapacityExceeded || status == .limitReached || status == .connectionLimitExceeded
    var actions = remove(at: index)
    actions.append(.finish(request: request, isFull ? .outOfSpace : .refused(code: status.rawValue)))
    for next in waiting { actions += start(next.content, role, next.request, settings) }
    return actions
  }

  /// Sets up again what is sent with other settings, and enables what was stopped.
  private mutating func update(_ settings: Settings) -> [Action] {
    var actions: [Action] = []
    for index in advertisements.indices where advertisements[index].request == nil {
      let known = advertisements[index].settings
      if advertisements[index].isOn && known == settings { continue }
      if advertisements[index].isOn { actions.append(.disable(advertisements[index].set)) }
      advertisements[index].settings = settings
      advertisements[index].isOn = true
      let set = advertisements[index].set
      if known.interval != settings.interval { actions.append(.setParameters(set, interval: settings.interval)) }
      if known.isInBackground != settings.isInBackground { actions.append(setData(advertisements[index])) }
      actions.append(.enable(set))
    }
    return actions
  }

  /// The data, with the manufacturer data if there is room: in the advertising data if it fits, else in the scan response data.
  private func setData(_ advertisement: Advertisement) -> Action {
    let content = advertisement.content
    let requested =
      advertisement.settings.isInBackground
      ? ConnectableAdvertisement(inBackground: content.serviceUUIDs)
      : ConnectableAdvertisement(localName: content.localName, serviceUUIDs: content.serviceUUIDs)
    var builder = AdvertisingDataBuilder()
    if let manufacturerData { builder.append(.manufacturerSpecificData(manufacturerData)) }
    let added = builder.octets
    let fits = requested.advertisingData.count + added.count <= AdvertisingDataBuilder.legacyLimit
    let fitsResponse = requested.scanResponseData.count + added.count <= AdvertisingDataBuilder.legacyLimit
    return .setData(
      advertisement.set, advertisingData: requested.advertisingData + (fits ? added : []),
      scanResponseData: requested.scanResponseData + (!fits && fitsResponse ? added : []))
  }
}
