/// Runs `work`, then `cleanUp` in any case.
@MainActor func always<Result>(
  _ cleanUp: @MainActor () async -> Void, after work: @MainActor () async throws(ToolError) -> Result
) async throws(ToolError) -> Result {
  do {
    let result = try await work()
    await cleanUp()
    return result
  } catch {
    await cleanUp()
    throw error
  }
}
