import { TAG_TEXT_PATTERN } from '../texts/variable-values.ts';
import { type Findings, toPrintableName } from '../texts/findings.ts';
import { ALL_GROUP, type AnsibleGroup, UNGROUPED_GROUP } from './group-tree.ts';

const GROUP_PREFIX = 'group.';

/** Returns the tag key for each group. A group is missing if its name can't become a key. */
export function toGroupTags(groups: readonly AnsibleGroup[], findings: Findings): ReadonlyMap<AnsibleGroup, string> {
  const tags = new Map<AnsibleGroup, string>();
  const taken = new Map<string, AnsibleGroup>();
  const named = groups.filter(({ name }) => name !== ALL_GROUP && name !== UNGROUPED_GROUP);
  for (const group of named) {
    const key = GROUP_PREFIX + group.name;
    if (!TAG_TEXT_PATTERN.test(key)) continue;
    taken.set(key, group);
    tags.set(group, key);
  }
  for (const group of named.filter((other) => !tags.has(other))) {
    const key = GROUP_PREFIX + group.name.replace(/[^A-Za-z0-9_./-]/g, '_').replace(/^[^A-Za-z0-9]+/, '');
    const tagKey = trimInvalidEnd(key);
    const holder = taken.get(tagKey);
    const report = (reason: string) => findings.leaveOut(group.line, group.name, group.name, reason);
    if (tagKey === GROUP_PREFIX || !TAG_TEXT_PATTERN.test(tagKey)) {
      report('A tag key can have at most 63 characters and must end with a letter or digit. This group gets no tag.');
    } else if (holder) {
      report(`The group "${toPrintableName(holder.name)}" already has the tag ${tagKey}. This group gets no tag.`);
    } else {
      report(`A tag key can contain only letters, digits and . _ - /. The tag of this group becomes ${tagKey}.`);
      taken.set(tagKey, group);
      tags.set(group, tagKey);
    }
  }
  return tags;
}

/** Removes invalid characters at the end. A regular expression would take quadratic time on long texts. */
function trimInvalidEnd(key: string): string {
  let end = key.length;
  while (end > GROUP_PREFIX.length && !/[A-Za-z0-9]/.test(key.charAt(end - 1))) end -= 1;
  return key.slice(0, end);
}
