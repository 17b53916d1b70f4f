import { ApiProperty } from '@nestjs/swagger';
import type { HostFacts } from './host-facts.js';

const Count = () => ApiProperty({ type: 'integer', nullable: true, minimum: 0 });

/** Facts that the host reported; null = not reported. Runward does not verify them. */
export class HostFactsView {
  /**
   * `ID` of `/etc/os-release` in lower case; without that file `macos`, `freebsd` and similar; null = unknown.
   * @example "debian"
   */
  os: string | null;
  /**
   * `VERSION_ID` of `/etc/os-release`; null = unknown.
   * @example "12"
   */
  osVersion: string | null;
  /**
   * `PRETTY_NAME` of `/etc/os-release`; null = unknown.
   * @example "Debian GNU/Linux 12 (bookworm)"
   */
  osName: string | null;
  /**
   * Name of the kernel in lower case, from `uname -s`; null = unknown.
   * @example "linux"
   */
  kernel: string | null;
  /**
   * Release of the kernel, from `uname -r`; null = unknown.
   * @example "6.1.0-28-amd64"
   */
  kernelVersion: string | null;
  /**
   * Machine architecture, from `uname -m`; null = unknown.
   * @example "x86_64"
   */
  arch: string | null;
  /** Number of logical processors; null = unknown. */
  @Count()
  cpus: number | null;
  /** Model name of the first processor; null = unknown. */
  cpuModel: string | null;
  /** Total memory, in MiB. */
  @Count()
  memoryMb: number | null;
  /** Size of the file system of `/`, in MiB. */
  @Count()
  diskTotalMb: number | null;
  /** Space that the login user can still use there, in MiB. */
  @Count()
  diskFreeMb: number | null;
  /** Boot time by the clock of the host. */
  bootedAt: string | null;
  /**
   * Program with process ID 1; null = unknown.
   * @example "systemd"
   */
  init: string | null;
  /** Host name that the host reports; null = unknown. */
  hostname: string | null;
  /**
   * Path of Python on the host; null = none found.
   * @example "/usr/bin/python3"
   */
  pythonPath: string | null;
  /**
   * Version of Python at `pythonPath`; null = none found.
   * @example "3.11.2"
   */
  pythonVersion: string | null;
}

export class ServerFactsView {
  serverId: string;
  /** Facts of the host; null = no check has read them since the server was registered with this address. */
  @ApiProperty({ type: HostFactsView, nullable: true })
  facts: HostFactsView | null;
  /** Time of the reading. */
  factsAt: string | null;
  /** Age of the facts, in seconds; null = no facts. */
  @Count()
  ageSeconds: number | null;
}

export const toHostFactsView = (facts: HostFacts): HostFactsView => ({
  os: facts.os,
  osVersion: facts.osVersion,
  osName: facts.osName,
  kernel: facts.kernel,
  kernelVersion: facts.kernelVersion,
  arch: facts.arch,
  cpus: facts.cpus,
  cpuModel: facts.cpuModel,
  memoryMb: facts.memoryMb,
  diskTotalMb: facts.diskTotalMb,
  diskFreeMb: facts.diskFreeMb,
  bootedAt: facts.bootedAt,
  init: facts.init,
  hostname: facts.hostname,
  pythonPath: facts.pythonPath,
  pythonVersion: facts.pythonVersion,
});
