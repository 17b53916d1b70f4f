import { ApiProperty } from '@nestjs/swagger';
import type { Environment } from './environment.entity.js';
import { RUN_MODES, type RunMode } from './environments.dto.js';
import { ENVIRONMENT_ACCESS, type EnvironmentAccess, GRANT_LEVELS, type GrantLevel } from './grant-policy.js';
import type { OverrideRow } from './protection/protection-change-rows.js';
import { ProtectionOverrideView, toProtectionOverrideView } from './protection/protection-changes.view.js';
import { UNKNOWN_AUTHORS, type UnknownAuthors } from './protection/unknown-authors.js';
import { RunWindowStateView, RunWindowsView, toRunWindowsView, toWindowStateView } from './windows/run-windows.view.js';

export class EnvironmentView {
  id: string;
  /** @example "staging" */
  name: string;
  description: string;
  /** `open`: visible to every member. `restricted`: visible to members with a grant, and admins. */
  @ApiProperty({ enum: ENVIRONMENT_ACCESS })
  access: EnvironmentAccess;
  /** Runs need approval before any host is touched. */
  protected: boolean;
  /** Number of members who must approve a run. */
  requiredApprovals: number;
  /** Whether the requester of a run may approve it. */
  allowSelfApproval: boolean;
  /** Maximum wait of a run for approval, in seconds. */
  approvalTtlSeconds: number;
  /** Whether runs may start if an author of their git content matches no member's e-mail address. */
  @ApiProperty({ enum: UNKNOWN_AUTHORS })
  unknownAuthors: UnknownAuthors;
  /** Delay of a change that weakens the protection when no other member can agree to it, in seconds. */
  protectionDelaySeconds: number;
  /** Latest emergency override of its protection within seven days; null = none, or in a list. */
  @ApiProperty({ type: ProtectionOverrideView, nullable: true })
  protectionOverride: ProtectionOverrideView | null;
  /** Allowed run modes; empty = all. */
  @ApiProperty({ enum: RUN_MODES, isArray: true })
  allowedModes: RunMode[];
  /** Whether hosts keep a journal of commands. */
  hostJournal: boolean;
  /** Interval between automatic checks of each enabled server, in seconds; null = no automatic checks. */
  @ApiProperty({ type: 'integer', nullable: true })
  checkIntervalSeconds: number | null;
  /** Times in which runs may begin; null = any time. */
  @ApiProperty({ type: RunWindowsView, nullable: true })
  runWindows: RunWindowsView | null;
  /** Whether runs may begin now; null = no run windows. */
  @ApiProperty({ type: RunWindowStateView, nullable: true })
  runWindowState: RunWindowStateView | null;
  /** Grant of the caller; null = none. */
  @ApiProperty({ enum: GRANT_LEVELS, nullable: true })
  currentUserGrant: GrantLevel | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class EnvironmentListView {
  items: EnvironmentView[];
  nextCursor: string | null;
}

/** @param override latest emergency override within seven days */
export const toEnvironmentView = (
  environment: Environment,
  currentUserGrant: GrantLevel | null,
  override: OverrideRow | null = null,
): EnvironmentView => ({
  id: environment.id,
  name: environment.name,
  description: environment.description,
  access: environment.access,
  protected: environment.protected,
  requiredApprovals: environment.requiredApprovals,
  allowSelfApproval: environment.allowSelfApproval,
  approvalTtlSeconds: environment.approvalTtlSeconds,
  unknownAuthors: environment.unknownAuthors,
  protectionDelaySeconds: environment.protectionDelaySeconds,
  protectionOverride: toProtectionOverrideView(override),
  allowedModes: environment.allowedModes as RunMode[],
  hostJournal: environment.hostJournal,
  checkIntervalSeconds: environment.checkIntervalSeconds,
  runWindows: environment.runWindows && toRunWindowsView(environment.runWindows),
  runWindowState: environment.runWindows && toWindowStateView(environment.runWindows, new Date()),
  currentUserGrant,
  createdAt: environment.createdAt.toISOString(),
  updatedAt: environment.updatedAt.toISOString(),
  version: environment.version,
});
