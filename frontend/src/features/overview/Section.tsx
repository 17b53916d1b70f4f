import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './overview.module.css';

interface Props {
  title: string;
  /** Count or short note after the title. */
  note?: ReactNode;
  /** Links and fields at the end of the line. */
  end?: ReactNode;
  children: ReactNode;
}

export function Section({ title, note, end, children }: Props) {
  return (
    <section aria-label={title} className={classes.section}>
      <div className={classes.head}>
        <Title order={2} size="h4">
          {title}
        </Title>
        {note !== undefined && (
          <Text component="div" c="dimmed">
            {note}
          </Text>
        )}
        {end && <div className={classes.headEnd}>{end}</div>}
      </div>
      {children}
    </section>
  );
}
