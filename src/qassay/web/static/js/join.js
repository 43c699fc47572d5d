// Exchanges the invitation in the address for a session. The token stands behind the `#`, which no log and no other site sees.

import { h, fill } from "./shared/dom.js";
import { post } from "./shared/api.js";
import { main } from "./shared/frame.js";

async function join() {
  const token = location.hash.slice(1);
  history.replaceState(null, "", "/join");
  fill(main, h("p", {}, "One moment…"));
  try {
    const reply = await post("join", { token });
    location.replace(reply.next);
  } catch (problem) {
    const text = token ? problem.message : "This address holds no invitation; open the whole link, with what follows the #.";
    fill(main, h("h1", {}, "This link does not work"), h("p", { class: "warn", role: "alert" }, text));
  }
}

join();
