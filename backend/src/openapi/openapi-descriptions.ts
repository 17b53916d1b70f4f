import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf, type Schema } from './openapi-schemas.js';

/**
 * Descriptions by field name, for fields whose class has none. A text must be true for each such field of the document;
 * a field with a narrower meaning has a comment in its class instead.
 */
const BY_NAME: Readonly<Record<string, string>> = {
  address: 'IP address or host name, with the SSH port.',
  after: 'Value after the change, as text; null = no value.',
  askedAt: 'Time of the latest request to ask the host, in UTC.',
  at: 'Time of the event, in UTC.',
  attempts: 'Number of attempts so far.',
  byId: 'ID of the member.',
  bytes: 'Size of the content or output, in bytes.',
  channel: 'Receiver of the messages: type, address and credentials.',
  code: 'Stable code for programs; `GET /api/docs/problems` lists all codes. More codes can be added.',
  collectionName: 'Full name of the collection, without its parents.',
  column: 'Column in the line, from 1; null = unknown.',
  comment: 'Comment of the member; null = none.',
  commit: 'Git commit ID: 40 hexadecimal digits (SHA-1), or 64 (SHA-256).',
  confirmedBy: 'Approver who confirmed it; null = not confirmed.',
  content: 'Whole text, up to 256 KiB.',
  createdAt: 'Time of creation, in UTC.',
  createdBy: 'Member who created it.',
  createdByName: 'Name of the author at that time: a member, or the author of a Git commit.',
  description: 'Text for people, with line breaks; empty or null = none.',
  digest: 'SHA-256 of the snapshot of the run, hexadecimal. A change of the content changes it.',
  disabledAt: 'Time at which the account was disabled, in UTC; null = enabled.',
  email: 'Email address with which the member signs in.',
  endColumn: 'Column after the last character of the fault, from 1.',
  endLine: 'Last line of the fault, from 1.',
  environmentId: 'ID of an environment, as in `GET /api/environments/{id}`.',
  environmentName: 'Name of the environment with the ID `environmentId`.',
  events: 'Types of the events to report.',
  execution_mode:
    '`auto` waits only for approvals and gates, `semi_assisted` also at steps with `confirm`, `interactive` at every step. `dry_run` changes nothing on hosts.',
  executionId: 'ID of a run, as in `GET /api/executions/{id}`; null = no run.',
  exitCode: 'Exit code of the command, 0 to 255; null = no command ended with one.',
  finding: 'Finding on the host; null = the host has not answered yet.',
  fingerprint: 'SHA-256 fingerprint of the public key in the format of OpenSSH.',
  finishedAt: 'Time of the end, in UTC; null = not finished.',
  gitSourceId: 'ID of a git source, as in `GET /api/git-sources/{id}`.',
  hostCount: 'Number of hosts, listed or not.',
  id: 'UUID that never changes and is never used again.',
  items: 'Entries of this page, in the order of the list.',
  line: 'Number of the line, from 1; null = unknown.',
  markedAt: 'Time at which the address was marked as shared, in UTC.',
  markedBy: 'Member who marked the address as shared.',
  message: 'Sentence for people; it can change between versions.',
  name: 'Name for people. Unique in the tenant, regardless of case.',
  nextCursor: 'Value of `cursor` for the next page; null = last page.',
  note: 'Reason for the run, shown in lists; null = none.',
  number: 'Ascending number, from 1.',
  ofBytes: 'Stored output of all finished runs, in bytes.',
  ofRuns: 'Number of all finished runs.',
  onOverlap: 'Behaviour when another run conflicts: `refuse` refuses the start, `queue` waits in the queue.',
  outcome:
    '`started`: a run began or waits in the queue. `skipped`: another run conflicted. `missed`: no worker was available. `refused`: the start was invalid.',
  path: 'Path from the root of the repository, with `/` between folders.',
  pauseReason: 'Reason of the pause; null = the run is not paused.',
  planId: 'ID of a plan, as in `GET /api/plans/{id}`.',
  planName: 'Name of the plan when the run started.',
  planRevision: 'Number of the revision of the plan, from 1.',
  port: 'TCP port of the SSH server, 1 to 65535. Default: 22.',
  reason: 'Cause as a code for programs and a text for people; null = none.',
  requestedAt: 'Time of the request, in UTC.',
  requestedBy: 'Member who sent the request.',
  retiredBy: 'Member who removed the pin; null = still pinned, or unknown.',
  revokedAt: 'Time of the revocation, in UTC; null = not revoked.',
  role: 'Rights in the tenant: `viewer` reads, `operator` also edits and runs plans, `admin` also manages members and protection.',
  secret: 'True = the value is write-only: it is stored encrypted, masked in output, and returned as null.',
  serverId: 'ID of a server, as in `GET /api/inventory/servers/{id}`. The server may be deleted.',
  serverName: 'Name of the server with the ID `serverId`.',
  sharedHosts: 'Names of hosts that both runs use; empty = only plan or locks conflict.',
  sharedKeys: 'Reasons of the conflict: the plan in its environment, a lock, or a host.',
  signal: 'Signal that ended the command, without `SIG`: `KILL`; null = none.',
  since: 'Time since when this state has existed, in UTC.',
  sshKeyId: 'SSH key that Runward signs in with, as in `GET /api/ssh-keys/{id}`.',
  startAt: 'Requested start time, in UTC; null = at once.',
  startedAt: 'Time of the start, in UTC; null = not started.',
  startedBy: 'User who started the run.',
  stepKey: 'Key of a step in the run, including the keys of calls and loops: `deploy/restart`.',
  stream: 'Output stream of the command. Lines of both streams have one order.',
  tags: 'Values by key, for selectors such as `role=web`.',
  text: 'Content of the line without its line end. Secrets are masked, and invalid UTF-8 is replaced by U+FFFD.',
  timeZone: 'Name in the IANA time zone database.',
  until: 'End, exclusive, in UTC.',
  updatedAt: 'Time of the last change, in UTC.',
  user: 'Member who did it.',
  username: 'User on the host as whom Runward signs in.',
  version: 'Number that each change of the record increases. `ETag` contains it, for `If-Match`.',
};

/** Descriptions of parameters by name, where they differ from the field of this name. */
const PARAMETERS: Readonly<Record<string, string>> = {
  address: 'Address or host name of servers, in canonical form.',
  changeId: 'ID of the protection change.',
  deliveryId: 'ID of the delivery.',
  departureId: 'ID of the departed server in this list.',
  enabled: 'True = only enabled ones, false = only paused ones.',
  externalId: 'ID of the server in the external system.',
  key: 'Name of the variable.',
  number: 'Number of the revision, from 1.',
  resourceId: 'ID of the changed record.',
  resourceType: 'Type of the changed record.',
  sessionId: 'ID of the session.',
  source: 'External system, as in `externalSource` of the server.',
  startedById: 'ID of the member who started the run.',
  status: 'Outcome of the step on the host.',
  userId: 'ID of the member.',
  version: 'Last known `version`, for `until=change`.',
};

const RECORD = /^(?:Create|Update|Upsert|Put)?([A-Z]\w*?)(?:Summary|Fields)?(?:View|Request)$/;
const recordOf = (schema: string): string | undefined => RECORD.exec(schema)?.[1];

/**
 * Describes each field and parameter that has no description yet. A field gets that of the request field that sets it, or else the one of
 * its name.
 */
export function describeFields(document: OpenAPIObject): void {
  const schemas = Object.entries((document.components?.schemas ?? {}) as Record<string, Schema>);
  const requests = new Map<string, string>();
  for (const [name, { properties = {} }] of schemas) {
    if (!name.endsWith('Request')) continue;
    for (const [field, { description }] of Object.entries(properties)) {
      const key = `${recordOf(name)}.${field}`;
      if (description && !requests.has(key)) requests.set(key, description);
    }
  }
  for (const [name, { properties = {} }] of schemas) {
    for (const [field, property] of Object.entries(properties)) {
      const description = requests.get(`${recordOf(name)}.${field}`) ?? BY_NAME[field];
      if (description) property.description ??= description;
    }
  }
  for (const { parameters = [] } of operationsOf(document))
    for (const parameter of parameters) {
      const description = PARAMETERS[parameter.name] ?? BY_NAME[parameter.name];
      if (description) parameter.description ??= description;
    }
}
