import { invalidRequest } from '../../common/errors/problem.js';
import type { ProblemItem } from '../../common/errors/problem-item.js';
import { SETTING_NAMES } from '../fields/server-settings.js';
import type { BulkServersRequest } from './bulk-servers.dto.js';

const CHANGE_FIELDS = ['addTags', 'removeTags', 'environmentId', 'enabled', ...SETTING_NAMES] as const;

/** Validates how the fields of the body depend on each other. @throws Problem 400 */
export function requireCompleteBulkRequest(request: BulkServersRequest, preview: boolean): void {
  const { serverIds, filter, expectedCount, action, addTags = {}, removeTags = [] } = request;
  const faults: ProblemItem[] = [];
  const fault = (path: string, code: ProblemItem['code'], message: string) => void faults.push({ path, code, message });
  if (serverIds && filter) fault('/filter', 'conflicting_fields', 'Send serverIds or filter, not both.');
  if (!serverIds && !filter) fault('/serverIds', 'required', 'Select the servers: send serverIds or filter.');
  if (filter && expectedCount === undefined && !preview)
    fault(
      '/expectedCount',
      'required',
      'With filter, also send expectedCount: the number of servers that you expect to match.',
    );
  const requestedChanges = CHANGE_FIELDS.filter((field) => request[field] !== undefined);
  if (action === 'change' && requestedChanges.length === 0)
    fault('/action', 'required', `Send at least one change: ${CHANGE_FIELDS.join(', ')}.`);
  if (action === 'delete')
    for (const field of requestedChanges)
      fault(`/${field}`, 'not_applicable', `${field} does not apply when servers are deleted.`);
  for (const [index, key] of removeTags.entries())
    if (Object.hasOwn(addTags, key))
      fault(
        `/removeTags/${index}`,
        'conflicting_fields',
        `The tag "${key}" is also in addTags. Send it in one of the two.`,
      );
  if (faults.length > 0) throw invalidRequest(faults);
}
