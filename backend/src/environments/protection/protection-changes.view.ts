import { ApiProperty } from '@nestjs/swagger';
import {
  CHANGE_STATES,
  type ChangeState,
  type OverrideRow,
  type ProtectionChangeRow,
} from './protection-change-rows.js';
import { PROTECTION_SETTINGS, type ProtectionSetting, type SettingChanges, type SettingValue } from './weakening.js';
import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';

const SETTING_VALUE_SCHEMAS = [{ type: 'boolean' }, { type: 'integer' }, { type: 'string' }];

/** Setting that the change weakens. */
export class SettingChangeView {
  /** Name of the weakened setting, as in the environment. */
  @ApiProperty({ enum: PROTECTION_SETTINGS })
  setting: ProtectionSetting;
  /** Value before the change. */
  @ApiProperty({ oneOf: SETTING_VALUE_SCHEMAS })
  from: SettingValue;
  /** Value after the change, which protects less. */
  @ApiProperty({ oneOf: SETTING_VALUE_SCHEMAS })
  to: SettingValue;
}

export class ProtectionChangeView {
  id: string;
  environmentId: string;
  environmentName: string;
  /**
   * `open`: waits for agreement. `applied`: the settings are changed. `withdrawn`: by its requester. `expired`: no
   * decision in time.
   */
  @ApiProperty({ enum: CHANGE_STATES })
  state: ChangeState;
  /** Weakened settings with their previous and new values. */
  @ApiProperty({ type: [SettingChangeView] })
  settings: SettingChangeView[];
  reason: string;
  /** Whether the change took effect without a second person. */
  override: boolean;
  requestedBy: UserReference;
  requestedAt: string;
  /** Time from which the requester may apply it alone; null = another approver must agree. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  effectiveAt: string | null;
  /** Time at which an open change expires, in UTC. */
  expiresAt: string;
  /** Member who agreed, rejected or withdrew; null = open or expired. */
  @ApiProperty({ type: UserReference, nullable: true })
  decidedBy: UserReference | null;
  /** Time of the decision, in UTC; null = open or expired. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  decidedAt: string | null;
  /** Comment of the decision; null = none. */
  comment: string | null;
  /** Whether the caller may agree now, or apply it after its delay. */
  currentUserCanAgree: boolean;
  /** Why the caller cannot agree; null = the caller can agree, or the change is closed. */
  @ApiProperty({ type: Reason, nullable: true })
  currentUserObstacle: Reason | null;
}

export class ProtectionChangeListView {
  @ApiProperty({ type: [ProtectionChangeView] })
  items: ProtectionChangeView[];
  nextCursor: string | null;
}

/** Latest emergency override of the protection of an environment. */
export class ProtectionOverrideView {
  /** Time at which the override took effect, in UTC. */
  at: string;
  /** Admin who weakened the protection alone. */
  by: UserReference;
  /** Reason that the admin stated. */
  reason: string;
  /** Settings that it weakened. */
  @ApiProperty({ type: [SettingChangeView] })
  settings: SettingChangeView[];
}

export const toProtectionOverrideView = (row: OverrideRow | null): ProtectionOverrideView | null =>
  row && {
    at: row.at.toISOString(),
    by: { id: row.by, name: row.by_name },
    reason: row.reason,
    settings: toSettingChangeViews(row.settings),
  };

const toSettingChangeViews = (settings: SettingChanges): SettingChangeView[] =>
  Object.entries(settings).map(([setting, change]) => ({ setting: setting as ProtectionSetting, ...change }));

/** @param obstacle why the caller may not agree; null = the caller may, or the change is closed */
export const toProtectionChangeView = (row: ProtectionChangeRow, obstacle: Reason | null): ProtectionChangeView => ({
  id: row.id,
  environmentId: row.environment_id,
  environmentName: row.environment_name,
  state: row.state,
  settings: toSettingChangeViews(row.settings),
  reason: row.reason,
  override: row.is_override,
  requestedBy: { id: row.requested_by, name: row.requested_by_name },
  requestedAt: row.requested_at.toISOString(),
  effectiveAt: row.effective_at?.toISOString() ?? null,
  expiresAt: row.expires_at.toISOString(),
  decidedBy: row.decided_by === null ? null : { id: row.decided_by, name: row.decided_by_name ?? '' },
  decidedAt: row.decided_at?.toISOString() ?? null,
  comment: row.comment,
  currentUserCanAgree: row.state === 'open' && obstacle === null,
  currentUserObstacle: row.state === 'open' ? obstacle : null,
});
