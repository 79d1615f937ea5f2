#if canImport(BLETestKit)
  import BLETestKit
  import Foundation
  import Testing
  import Thermostat

  extension Home {
    /// What holds in each world in which the app has no mistake, whatever happens.
    func stateConditions(in world: World) {
      let (app, hall, kitchen, memory) = (app, hall, kitchen, memory)
      world.always("the neighbour's thermostat is left alone") {
        kitchen.writes == 0 && kitchen.subscribers.values.allSatisfy(\.isEmpty)
      }
      world.always("a link ends before the next one begins") { app.current.mostLinks <= 1 }
      world.always("of each kind only one request waits") { app.current.session.waitingRequests <= 2 }
      world.always("requests are neither refused nor given up too early") { app.current.complaints.isEmpty }
      world.eventually("the app shows what its thermostat measures", within: .seconds(60)) {
        memory.thermostat == nil || app.current.session.phase == .ready && hall.isWatched
      }
      world.eventually("every request is answered", within: .seconds(60)) { app.current.openRequests == 0 }
      world.eventually("the target that is shown is the thermostat's", within: .seconds(10)) {
        app.current.session.phase != .ready || app.current.session.target == hall.target
      }
      world.eventually("the thermostat uses the image that was to be installed", within: .seconds(60)) {
        memory.askedFor == nil || hall.store.firmware == memory.askedFor
      }
    }
  }

  /// A day in a home, for explorations: the same for the app without a mistake and for each seeded bug.
  func day(in world: World, bug: SeededBug? = nil) async {
    let home = Home(in: world, bug: bug)
    home.stateConditions(in: world)
    await world.advance(by: People.evening)
    await world.advancePastEvents()
    withExtendedLifetime(home) {}
  }

  extension ExplorationBudget {
    /// What happens in a home. Keys that are lost need the user.
    static var home: ExplorationBudget {
      var budget = ExplorationBudget()
      budget.kinds.remove(.bondLoss)
      budget.devices = ["hall", "phone"]
      return budget
    }
  }
#endif
