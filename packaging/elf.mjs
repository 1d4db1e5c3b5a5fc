// Programs and libraries of a release are for the platform that it names.

/** e_machine of the header (ELF, System V gABI, chapter 4). */
const elfMachines = { x64: 62, arm64: 183 };
const magic = Buffer.from('\x7fELF', 'latin1');
const machineOffset = 18;

/** @param {readonly import('./tar.mjs').Entry[]} entries @param {import('./packages.mjs').Arch} arch @returns {string[]} paths of ELF files for another platform */
export function foreignElfFiles(entries, arch) {
  return entries
    .filter((entry) => {
      const bytes = entry.kind === 'file' ? entry.bytes() : magic.subarray(0, 0);
      return (
        bytes.subarray(0, magic.length).equals(magic) &&
        bytes.readUInt16LE(machineOffset) !== elfMachines[arch]
      );
    })
    .map(({ path }) => path);
}

/** @param {readonly import('./tar.mjs').Entry[]} entries @param {import('./packages.mjs').Arch} arch @throws Error naming files for another platform */
export function assertPlatform(entries, arch) {
  const foreign = foreignElfFiles(entries, arch);
  if (foreign.length > 0) throw new Error(`These files are not for linux-${arch}: ${foreign.join(', ')}`);
}
