// The start page: examples, files dropped or chosen, random instances.
import { request, sendInstance } from "./live.js";

const MAX_FILE = 16 * 1024 * 1024, MAX_LOG = 256 * 1024 * 1024;
const element = (id) => document.getElementById(id);

/** attempt(action) runs what may fail and tells the user; replay(text, name) opens a recorded search; start() begins a
    search on the instance that was just opened. */
export function setUpStartPage({ attempt, replay, start }) {
  const open = (file) => attempt(async () => {
    const isLog = file.name.endsWith(".jsonl");
    if (file.size > (isLog ? MAX_LOG : MAX_FILE)) throw new Error(`${file.name}: too large to look at`);
    const text = await file.text();
    if (isLog) replay(text, file.name);
    else await sendInstance(text, file.name);
  });

  for (const button of document.querySelectorAll("[data-example]"))
    button.addEventListener("click", async () => {
      if (await attempt(() => request("example", { name: button.dataset.example }))) start();
    });
  element("file").addEventListener("change", (event) => {
    if (event.target.files[0]) open(event.target.files[0]);
    event.target.value = "";
  });
  element("generate-form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(() => request("generate", { problem: element("problem").value, size: element("size").valueAsNumber,
                                        seed: element("instance-seed").valueAsNumber }));
  });
  for (const name of ["dragover", "dragleave", "drop"])
    document.addEventListener(name, (event) => {
      event.preventDefault();
      element("drop-hint").hidden = name !== "dragover";
      const file = event.dataTransfer?.files[0];
      if (name === "drop" && file) open(file);
    });
}
