import { Code, Group, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { AuditLog } from '../../api/types';
import { changeText } from '../../ui/format/change-text';
import { exactTime } from '../../ui/format/format';
import { AnchorLink } from '../../ui/page/links';
import classes from './audit.module.css';
import { Changes } from './Changes';

const KINDS: Record<AuditLog['actor']['kind'], string> = {
  user: 'A member',
  system: 'Runward',
  anonymous: 'Someone who is not signed in',
};
type Part = 'changes' | 'json';

/** One sentence. The differences, or the raw entry, open below it. */
export function TimelineEntry({ entry }: { entry: AuditLog }) {
  const [part, setPart] = useState<Part | null>(null);
  const { id, at, sequence, actor, action, resourceType, resourceId, resourceName, before, after } = entry;
  const toggle = (what: Part) => setPart((current) => (current === what ? null : what));
  // A session has only an ID, which says nothing.
  const name = resourceName ?? (resourceType === 'session' ? null : resourceId) ?? '';
  return (
    <li className={classes.entry}>
      <div className={classes.sentence}>
        <time dateTime={at} title={exactTime(at)} className={classes.time}>
          {new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}
        </time>
        <Text component="div" className="rw-wrap-anywhere" dir="auto">
          <b>{actor.kind === 'system' ? KINDS.system : (actor.name ?? KINDS[actor.kind])}</b>
          {actor.tokenPrefix && <span className={classes.small}> with token {actor.tokenPrefix}…</span>}{' '}
          {changeText(action)}{' '}
          {resourceId === null || name === '' ? (
            name
          ) : (
            <AnchorLink to="/audit" search={{ resource: resourceId }} underline="always">
              {name}
            </AnchorLink>
          )}
        </Text>
        <Group gap="sm" className={classes.small}>
          {(before !== null || after !== null) && (
            <Toggle
              label="Changes"
              sequence={sequence}
              isOpen={part === 'changes'}
              onToggle={() => toggle('changes')}
            />
          )}
          <Toggle label="JSON" sequence={sequence} isOpen={part === 'json'} onToggle={() => toggle('json')} />
          <AnchorLink
            to="/audit"
            search={(search) => ({ ...search, entry: id, at })}
            replace
            size="xs"
            aria-label={`Details of entry ${sequence}`}
          >
            Details
          </AnchorLink>
        </Group>
      </div>
      {part === 'changes' && <Changes before={before} after={after} />}
      {part === 'json' && (
        <Code block mah={400} className="rw-scroll" tabIndex={0} aria-label={`JSON of entry ${sequence}`}>
          {JSON.stringify(entry, null, 2)}
        </Code>
      )}
    </li>
  );
}

interface ToggleProps {
  label: string;
  sequence: number;
  isOpen: boolean;
  onToggle: () => void;
}

const Toggle = ({ label, sequence, isOpen, onToggle }: ToggleProps) => (
  <UnstyledButton
    className={classes.toggle}
    aria-expanded={isOpen}
    aria-label={`${label} of entry ${sequence}`}
    onClick={onToggle}
  >
    {label}
  </UnstyledButton>
);
