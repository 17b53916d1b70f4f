import { TrustRule } from './auth/oidc/trust-rule.entity.js';
import { Session } from './auth/sessions/session.entity.js';
import { ApiToken } from './auth/tokens/api-token.entity.js';
import { Bookmark } from './bookmarks/bookmark.entity.js';
import { Collection } from './collections/collection.entity.js';
import { Environment } from './environments/environment.entity.js';
import { GitSource } from './git-sources/records/git-source.entity.js';
import { Server } from './inventory/fields/server.entity.js';
import { SshKey } from './keys/ssh-key.entity.js';
import { NotificationRule } from './notifications/records/notification-rule.entity.js';
import { PlanFolderSync } from './plans/folders/plan-sync.entity.js';
import { Plan, PlanRevision } from './plans/records/plan.entity.js';
import { Schedule } from './schedules/records/schedule.entity.js';
import { User } from './tenancy/directory/user.entity.js';
import { Webhook } from './webhooks/records/webhook.entity.js';

/**
 * All entities. Every process registers all of them, because a module may read tables of modules that are not loaded.
 */
export const ENTITIES = [
  ApiToken,
  Bookmark,
  Collection,
  Environment,
  GitSource,
  NotificationRule,
  Plan,
  PlanFolderSync,
  PlanRevision,
  Schedule,
  Server,
  Session,
  SshKey,
  TrustRule,
  User,
  Webhook,
];
