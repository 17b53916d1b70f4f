import { Paper, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Overview } from '../../api/types';
import { plural } from '../../ui/format/format';
import { AnchorLink } from '../../ui/page/links';
import classes from './overview.module.css';

/** The state of everything in four figures: the first thing to read. */
export function Figures({ overview, waiting }: { overview: Overview; waiting: number }) {
  const { runningCount, openFailureCount, openFailuresIncomplete, failedInLastDay, environmentCount } = overview;
  return (
    <Paper component="section" aria-label="Summary" className={classes.facts}>
      <Figure label="waiting for you" tone={waiting > 0 ? 'warn' : undefined}>
        {waiting}
      </Figure>
      <Figure
        label={openFailureCount === 1 ? 'open failure' : 'open failures'}
        tone={openFailureCount > 0 ? 'bad' : 'good'}
      >
        {openFailureCount.toLocaleString('en')}
        {openFailuresIncomplete && '+'}
      </Figure>
      <Figure label={runningCount === 1 ? 'active run' : 'active runs'} tone={runningCount > 0 ? 'active' : undefined}>
        {runningCount.toLocaleString('en')}
      </Figure>
      <Figure label="failed in 24 hours">{failedInLastDay.toLocaleString('en')}</Figure>
      <div className={classes.fact}>
        <Text size="sm" c="dimmed">
          {plural(environmentCount, 'environment')}
        </Text>
        <AnchorLink to="/trends" search={{}} size="sm">
          30-day trends
        </AnchorLink>
      </div>
    </Paper>
  );
}

interface FigureProps {
  label: string;
  tone?: 'good' | 'bad' | 'warn' | 'active';
  children: ReactNode;
}

export function Figure({ label, tone, children }: FigureProps) {
  return (
    <div className={classes.fact}>
      <div className={`${classes.figure} ${tone ? classes[tone] : ''}`}>{children}</div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
    </div>
  );
}
