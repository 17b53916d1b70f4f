import { Paper, Text } from '@mantine/core';
import { type Icon, IconCalendarTime, IconCircleCheck, IconShieldCheck, IconSnowflake } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Environment, EnvironmentDetail } from '../../../api/types';
import { reasonText } from '../../../ui/collections/freeze';
import { windowText } from '../../../ui/environments/run-window';
import { plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';
import { freezeText } from '../freeze-text';
import classes from '../overview.module.css';
import { Section } from '../Section';

interface Props {
  environment: Pick<Environment, 'id' | 'requiredApprovals'>;
  overview: EnvironmentDetail;
}

/** Says whether a run may start now: run windows, freezes of collections, approvals. */
export function StartRules({ environment, overview }: Props) {
  const { id, runWindowState, freezes, protected: isProtected } = overview;
  const isOpen = runWindowState?.open ?? true;
  return (
    <Section title="Rules for starts">
      <Paper component="ul" className={classes.rows} aria-label="Rules for starts">
        {runWindowState && (
          <Rule icon={isOpen ? IconCalendarTime : IconSnowflake} tone={isOpen ? 'good' : 'warn'}>
            {windowText(runWindowState)}{' '}
            <AnchorLink to="/environments/$id" params={{ id }} search={{ tab: 'windows' }} underline="always">
              Run windows
            </AnchorLink>
          </Rule>
        )}
        {freezes.map((freeze) => (
          <Rule key={freeze.collectionId} icon={IconSnowflake} tone="warn">
            {freezeText(freeze)}: {reasonText(freeze.reason)}{' '}
            <AnchorLink to="/plans" search={{ collection: freeze.collectionId }} underline="always">
              Open collection
            </AnchorLink>
          </Rule>
        ))}
        {isProtected && (
          <Rule icon={IconShieldCheck} tone="active">
            Each run waits for {plural(environment.requiredApprovals, 'approval')} before any host is touched.
          </Rule>
        )}
        {!runWindowState && freezes.length === 0 && !isProtected && (
          <Rule icon={IconCircleCheck} tone="good">
            Runs can start at any time, without approval. No plan is frozen.
          </Rule>
        )}
      </Paper>
    </Section>
  );
}

interface RuleProps {
  icon: Icon;
  tone: 'good' | 'warn' | 'active';
  children: ReactNode;
}

function Rule({ icon: Glyph, tone, children }: RuleProps) {
  return (
    <li className={classes.row}>
      <span className={`${classes.rowIcon} ${classes[tone]}`}>
        <Glyph size={18} aria-hidden />
      </span>
      <Text component="div" className={`${classes.rowText} rw-wrap-anywhere`}>
        {children}
      </Text>
    </li>
  );
}
