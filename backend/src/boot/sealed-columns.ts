import type { SealedColumn } from '../common/database/sealed-values.js';
import { SEALED_VARIABLES } from '../environments/variables/variable-vault.js';
import { SEALED_RUN_SECRETS } from '../executions/record/run-secrets.js';
import { SEALED_GIT_TOKENS, SEALED_GIT_WEBHOOK_SECRETS } from '../git-sources/records/git-source-vault.js';
import { SEALED_SERVER_VARIABLES } from '../inventory/variables/server-variable-vault.js';
import { SEALED_NOTIFICATION_SECRETS } from '../notifications/records/rule-vault.js';
import { SEALED_PRIVATE_KEYS } from '../keys/key-vault.js';
import { SEALED_SCHEDULE_VARIABLES } from '../schedules/records/schedule-vault.js';
import { SEALED_OLD_WEBHOOK_SECRETS, SEALED_WEBHOOK_SECRETS } from '../webhooks/records/webhook-vault.js';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  SEALED_PRIVATE_KEYS,
  SEALED_VARIABLES,
  SEALED_SERVER_VARIABLES,
  SEALED_RUN_SECRETS,
  SEALED_SCHEDULE_VARIABLES,
  SEALED_GIT_TOKENS,
  SEALED_GIT_WEBHOOK_SECRETS,
  SEALED_WEBHOOK_SECRETS,
  SEALED_OLD_WEBHOOK_SECRETS,
  SEALED_NOTIFICATION_SECRETS,
];
