import { expect, it } from "vitest";
import { MemoryBackend } from "../backend/index.js";
import { ResumePoints } from "./resume-points.js";

it("a resume point that is no position is corrupt, and named", async () => {
  const backend = new MemoryBackend();
  await backend.createChannel("c");
  await backend.saveResumePoints("sub", [{ channel: "c", position: Uint8Array.of(255), keepFrom: undefined }]);

  await expect(new ResumePoints(backend).load("sub", ["c"])).rejects.toMatchObject({
    code: "corrupt",
    details: { file: "sub/c", offset: 0 },
  });
});
