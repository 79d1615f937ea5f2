"""Nothing here waits for ever: whatever does not come in time is an error that says what was waited for."""

import asyncio
import functools

# How long one step may take: far longer than any needs, so that a busy machine does no harm.
STEP = 120.0
# How long one test may take.
WHOLE_TEST = 600.0


async def within(seconds, what, awaitable):
    try:
        return await asyncio.wait_for(awaitable, seconds)
    except TimeoutError as error:
        raise AssertionError(f'not within {seconds:g} s: {what}') from error


async def until(condition, what, seconds=STEP):
    """Waits until `condition()` holds."""

    async def poll():
        while not condition():
            await asyncio.sleep(0.01)

    await within(seconds, what, poll())


def asynchronous(test):
    """Lets pytest run a coroutine, within the time that a test may take."""

    @functools.wraps(test)
    def run(*arguments, **named):
        asyncio.run(within(WHOLE_TEST, test.__name__, test(*arguments, **named)))

    return run
