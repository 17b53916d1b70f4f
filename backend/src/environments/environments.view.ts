import { ApiProperty } from '@nestjs/swagger';
import type { Environment } from './environment.entity.js';
import { RUN_MODES, type RunMode } from './environments.dto.js';
import { GRANT_LEVELS, type GrantLevel } from '../common/access/grant-level.js';
import { ENVIRONMENT_ACCESS, type EnvironmentAccess } from './grant-policy.js';
import type { OverrideRow } from './protection/protection-change-rows.js';
import { ProtectionOverrideView, toProtectionOverrideView } from './protection/protection-changes.view.js';
import { UNKNOWN_AUTHORS, type UnknownAuthors } from './protection/unknown-authors.js';
import { RunWindowStateView, RunWindowsView, toRunWindowsView, toWindowStateView } from './windows/run-windows.view.js';

export class EnvironmentView {
  id: string;
  /** @example "staging" */
  name: string;
  description: string;
  /** `open`: every member sees it. `restricted`: members with a grant, and admins. */
  @ApiProperty({ enum: ENVIRONMENT_ACCESS })
  access: EnvironmentAccess;
  /** Runs need approval before any host is touched. */
  protected: boolean;
  requiredApprovals: number;
  allowSelfApproval: boolean;
  /** How long a run waits for approval, in seconds. */
  approvalTtlSeconds: number;
  /** Whether runs start whose git content has authors that no member's e-mail address names. */
  @ApiProperty({ enum: UNKNOWN_AUTHORS })
  unknownAuthors: UnknownAuthors;
  /** How long a change that weakens the protection waits where no other member may agree to it, in seconds. */
  protectionDelaySeconds: number;
  /** The last emergency override of its protection within seven days; null: none, or in a list. */
  @ApiProperty({ type: ProtectionOverrideView, nullable: true })
  protectionOverride: ProtectionOverrideView | null;
  /** Modes that a start may use here; empty: all. */
  @ApiProperty({ enum: RUN_MODES, isArray: true })
  allowedModes: RunMode[];
  /** Whether hosts keep a journal of the commands that run there. */
  hostJournal: boolean;
  /** How often each enabled server is checked by itself, in seconds; null: never. */
  @ApiProperty({ type: 'integer', nullable: true })
  checkIntervalSeconds: number | null;
  /** When runs may begin here; null: at any time. */
  @ApiProperty({ type: RunWindowsView, nullable: true })
  runWindows: RunWindowsView | null;
  /** Whether they may at this moment; null without run windows. */
  @ApiProperty({ type: RunWindowStateView, nullable: true })
  runWindowState: RunWindowStateView | null;
  /** The caller's own grant here; null: none. */
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

/** @param override the last one that is still shown */
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
