import { expect, it } from "vitest";
import { networkFileSystem } from "./network-file-systems.js";

it("knows the file systems that other machines can write to, however the number's sign came out", () => {
  expect(networkFileSystem(0x6969)).toBe("NFS");
  expect(networkFileSystem(0xff534d42)).toBe("CIFS");
  expect(networkFileSystem(0xff534d42 | 0)).toBe("CIFS");
});

it("lets local ones pass: ext4, xfs, btrfs, tmpfs, overlay", () => {
  for (const type of [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630]) expect(networkFileSystem(type)).toBeUndefined();
});
