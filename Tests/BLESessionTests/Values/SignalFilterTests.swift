import BLESession
import Testing

@Suite struct SignalFilterTests {
  @Test("R0.5 the first strength counts fully, each further one with its weight")
  func smoothing() {
    var filter = SignalFilter(weight: 0.25)
    #expect(filter.smoothed == nil && filter.proximity == nil)
    filter.add(-40)
    #expect(filter.smoothed == -40)
    filter.add(-80)
    #expect(filter.smoothed == -50)
    filter.add(-50)
    #expect(filter.smoothed == -50)
    var plain = SignalFilter(weight: 1)
    for rssi in [-40, -90, -20] {
      plain.add(rssi)
      #expect(plain.smoothed == Double(rssi))
    }
  }

  @Test("R0.5 127 and other impossible strengths change nothing", arguments: [127, 21, -128, .max, .min])
  func impossible(rssi: Int) {
    var filter = SignalFilter()
    filter.add(rssi)
    #expect(filter.smoothed == nil)
    filter.add(-60)
    let before = filter
    filter.add(rssi)
    #expect(filter == before)
  }

  @Test("R0.5 a weight outside its range is clamped", arguments: [(-1.0, 0.0), (7, 1)])
  func weights(given: Double, taken: Double) {
    #expect(SignalFilter(weight: given).weight == taken)
  }

  @Test("R0.5 the proximity changes once a strength is clearly past a border, both ways, and does not flicker")
  func proximity() {
    var filter = SignalFilter(weight: 1, immediateFrom: -50, nearFrom: -75, hysteresis: 3)
    func place(_ rssi: Int) -> Proximity? {
      filter.add(rssi)
      return filter.proximity
    }
    #expect(place(-60) == .near)
    #expect(place(-50) == .near && place(-48) == .near)
    #expect(place(-47) == .immediate)
    #expect(place(-51) == .immediate && place(-53) == .immediate)
    #expect(place(-54) == .near)
    #expect(place(-76) == .near && place(-78) == .near)
    #expect(place(-79) == .far)
    #expect(place(-73) == .far)
    #expect(place(-72) == .near)
    // Across both borders in one step.
    #expect(place(-110) == .far && place(-30) == .immediate && place(-110) == .far)
    #expect(Proximity.immediate < .near && .near < .far)
  }
}
