import { Baseline20261127211500 } from './20261127211500-baseline.js';
import { NotificationChannelTypes20261127234500 } from './20261127234500-notification-channel-types.js';
import { OutputPositions20261128030500 } from './20261128030500-output-positions.js';
import { RunChanges20261128040800 } from './20261128040800-run-changes.js';
import { SchedulePauses20261128131000 } from './20261128131000-schedule-pauses.js';
import { UserReferences20261128132000 } from './20261128132000-user-references.js';
import { TrustRuleClaims20261128164500 } from './20261128164500-trust-rule-claims.js';
import { OneNamePerEvent20261128134000 } from './20261128134000-one-name-per-event.js';
import { Bookmarks20261128203500 } from './20261128203500-bookmarks.js';
import { PauseAnswers20261128204500 } from './20261128204500-pause-answers.js';
import { ServerChanges20261129000500 } from './20261129000500-server-changes.js';
import { Backups20261129060000 } from './20261129060000-backups.js';
import { Metrics20261129062500 } from './20261129062500-metrics.js';
import { WorkerDetails20261129063000 } from './20261129063000-worker-details.js';

/** Migrations in order. Add new ones at the end, named by their real date and time; never change a merged one. */
export const MIGRATIONS = [
  Baseline20261127211500,
  NotificationChannelTypes20261127234500,
  OutputPositions20261128030500,
  RunChanges20261128040800,
  SchedulePauses20261128131000,
  UserReferences20261128132000,
  OneNamePerEvent20261128134000,
  TrustRuleClaims20261128164500,
  Bookmarks20261128203500,
  PauseAnswers20261128204500,
  ServerChanges20261129000500,
  Backups20261129060000,
  Metrics20261129062500,
  WorkerDetails20261129063000,
];
