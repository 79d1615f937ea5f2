import CoreBluetooth

/// Keeps errors in results, compares them, and counts them.
final class ErrorResults: Program {
  private var results: [Result<Data, Error>] = []

  func run(on stage: any Stage) async throws {
    results = [.success(Data([1])), .failure(CBError(.notConnected)), .failure(CBATTError(.invalidOffset))]
    let codes = results.compactMap { result -> Int? in
      if case .failure(let error) = result { return (error as NSError).code }
      return nil
    }
    try check(codes == [3, 7])
    let tally = Dictionary(grouping: [CBError(.unknown), CBError(.notConnected), CBError(.unknown)], by: \.code)
    try check(tally[.unknown]?.count == 2)
    try check(Set([CBATTError(.success), CBATTError(.success)]).count == 1)
    if case .failure(CBError.notConnected) = results[1] { return }
    throw CheckFailure(description: "the pattern did not match")
  }
}
