/**
 * File systems on which one machine can't see another's lock, by the numbers that statfs(2) gives.
 *
 * User-space ones (FUSE) are among them: what stands behind one can't be known, and is often another machine.
 */
const names = new Map<number, string>([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x786f4256, "VirtualBox shared folder"],
]);

/** What kind of network file system it is; undefined for a local one, and for one that nobody has told us of. */
export function networkFileSystem(statfsType: number): string | undefined {
  // The field is signed on some platforms.
  return names.get(statfsType >>> 0);
}
