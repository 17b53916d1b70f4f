import { Accordion, Alert, Badge, Box, Group, Paper, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ImportedPlan, PlanImport } from '../../../api/types';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';
import { WarningsOfText } from '../text/PlanText';

const ACTIONS = {
  create: { text: { true: 'New', false: 'Created' }, color: 'green' },
  change: { text: { true: 'Changes', false: 'Changed' }, color: 'blue' },
  leave: { text: { true: 'Unchanged', false: 'Unchanged' }, color: 'gray' },
} as const;
const SHOWN = 200;

export function ImportOutcome({ outcome }: { outcome: PlanImport }) {
  const { preview, plans, notCarried, moreNotCarried } = outcome;
  return (
    <Stack gap="sm" role="region" aria-label={preview ? 'Preview' : 'Result'}>
      {!preview && (
        <Alert color="green" icon={<IconCheck aria-hidden />} title={`${plural(plans.length, 'plan')} imported`} />
      )}
      {plans.map((plan) => (
        <PlanCard key={plan.name} plan={plan} preview={preview} />
      ))}
      {notCarried.length > 0 && (
        <Paper withBorder p="sm">
          <Text component="h2" fw={550} mb={6}>
            {plural(notCarried.length + moreNotCarried, 'thing')} cannot be imported
          </Text>
          <ul className="rw-list" aria-label="Not imported">
            {notCarried.slice(0, SHOWN).map(({ line, job, step, what, reason }, index) => (
              <li key={index} className="rw-wrap-anywhere">
                <Text span fw={550}>
                  {what}
                </Text>{' '}
                <Text span size="xs" c="dimmed">
                  (
                  {[line === null ? null : `line ${line}`, job, step === null ? null : `step ${step}`]
                    .filter(Boolean)
                    .join(', ')}
                  )
                </Text>
                : {reason.text}
              </li>
            ))}
          </ul>
          {notCarried.length + moreNotCarried > SHOWN && (
            <Text mt={6}>And {(notCarried.length + moreNotCarried - SHOWN).toLocaleString('en')} more.</Text>
          )}
        </Paper>
      )}
    </Stack>
  );
}

function PlanCard({ plan, preview }: { plan: ImportedPlan; preview: boolean }) {
  const { text, color } = ACTIONS[plan.action];
  return (
    <Paper withBorder p="sm">
      <Group gap="xs">
        <Badge color={color} variant="light">
          {text[`${preview}`]}
        </Badge>
        {plan.planId === null ? (
          <Text fw={550}>{plan.name}</Text>
        ) : (
          <AnchorLink to="/plans/$id" params={{ id: plan.planId }} fw={550}>
            {plan.name}
          </AnchorLink>
        )}
        <Text size="xs" c="dimmed">
          {plural(plan.stepCount, 'step')}, line {plan.line}
        </Text>
      </Group>
      {plan.warnings.length > 0 && (
        <Box mt="xs">
          <WarningsOfText warnings={plan.warnings} />
        </Box>
      )}
      {plan.changes.length > 0 && (
        <Box component="ul" mt={6} className="rw-list" aria-label={`Changes of ${plan.name}`}>
          {plan.changes.map(({ kind, part, field, before, after }, index) => (
            <li key={index} className="rw-wrap-anywhere">
              {part === null ? field : `${kind} ${part}: ${field}`}:{' '}
              <Text span c="dimmed" td={before === null ? undefined : 'line-through'}>
                {before ?? 'as by default'}
              </Text>{' '}
              → <Text span>{after ?? 'as by default'}</Text>
            </li>
          ))}
          {plan.moreChanges > 0 && <li>And {plan.moreChanges.toLocaleString('en')} more.</li>}
        </Box>
      )}
      {plan.yaml !== null && (
        <Accordion mt="xs" order={2} chevronPosition="left">
          <Accordion.Item value="yaml">
            <Accordion.Control>Show YAML</Accordion.Control>
            <Accordion.Panel>
              <Group justify="flex-end">
                <CopyButton value={plan.yaml} what="YAML" />
              </Group>
              <Box component="pre" className="rw-scroll" m={0} mah={320} fz={12.5} tabIndex={0}>
                {plan.yaml}
              </Box>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      )}
    </Paper>
  );
}
