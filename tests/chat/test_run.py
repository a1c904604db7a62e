from __future__ import annotations

from chat_kit import Agent

import aistream_nb as ai


async def test_a_run_is_awaited_for_its_reply_and_says_whether_it_ended():
    agent = Agent()
    run = ai.Chat(agent).start("x")
    await agent.reached.wait()
    assert (run.done, repr(run)) == (False, "<run: going on>")

    agent.go_on.set()
    reply = await run

    assert reply.status == "finished"
    assert (run.done, repr(run)) == (True, "<run: ended>")


async def test_a_run_can_be_stopped():
    agent = Agent()
    run = ai.Chat(agent).start("x")
    await agent.reached.wait()

    run.stop()

    assert (await run).status == "aborted"
