import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { scripts } from '../../../api/queries/library/scripts';
import { templates } from '../../../api/queries/library/templates';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { plural } from '../../../ui/format/format';
import classes from './outline.module.css';

/** Longest text that is complete in one line. */
const LINE_CHARACTERS = 60;

/** Main text of a step, such as its command. Shows the first line, and opens the rest. */
export function StepText({ text, label }: { text: string; label: string }) {
  const lines = text.trim().split('\n');
  const [first = ''] = lines;
  if (lines.length === 1 && first.length <= LINE_CHARACTERS)
    return <code className={`rw-mono rw-pre-wrap ${classes.line}`}>{first}</code>;
  return (
    <Expandable
      label={label}
      line={
        <>
          <code className={`rw-mono ${classes.clipped}`}>{first}</code>
          {lines.length > 1 && (
            <Text span size="xs" c="dimmed" className="rw-no-shrink">
              {plural(lines.length, 'line')}
            </Text>
          )}
        </>
      }
    >
      {() => <TextBlock text={text} />}
    </Expandable>
  );
}

/** Content of the script or template of a step. It is requested when it is opened. */
export function LibraryText({ kind, id }: { kind: 'script' | 'template'; id: string }) {
  return (
    <Expandable
      label={`Content of the ${kind}`}
      line={
        <Text span size="xs" c="dimmed">
          Show the content of the {kind}
        </Text>
      }
    >
      {() => <LoadedText kind={kind} id={id} />}
    </Expandable>
  );
}

function LoadedText({ kind, id }: { kind: 'script' | 'template'; id: string }) {
  const script = useQuery({ ...scripts.one(id), enabled: kind === 'script' });
  const template = useQuery({ ...templates.one(id), enabled: kind === 'template' });
  const { data, error } = kind === 'script' ? script : template;
  if (error) return <ErrorPanel error={error} />;
  return data ? <TextBlock text={data.content} /> : <RowsSkeleton rows={2} />;
}

const TextBlock = ({ text }: { text: string }) => (
  <Code block tabIndex={0} className={`rw-pre-wrap ${classes.text}`}>
    {text}
  </Code>
);

interface ExpandableProps {
  /** Name of the content, for screen readers. */
  label: string;
  line: ReactNode;
  children: () => ReactNode;
}

export function Expandable({ label, line, children }: ExpandableProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className={classes.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes.summary}>
        <IconChevronRight size={14} aria-hidden className={classes.chevron} />
        {line}
      </summary>
      {open && (
        <section aria-label={label} className={classes.opened}>
          {children()}
        </section>
      )}
    </details>
  );
}
