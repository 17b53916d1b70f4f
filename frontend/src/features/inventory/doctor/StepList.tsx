import { Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleMinus, IconCircleX, type Icon } from '@tabler/icons-react';
import type { DiagnosisStep, DiagnosisStepStatus } from '../../../api/types';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { duration } from '../../../ui/format/format';
import { copyableCommands } from './advice-commands';
import classes from './doctor.module.css';
import { stepLabel } from './steps';

const STATES: Record<DiagnosisStepStatus, { label: string; icon: Icon; tone: string | undefined }> = {
  ok: { label: 'OK', icon: IconCircleCheck, tone: classes.good },
  warning: { label: 'Limited', icon: IconAlertTriangle, tone: classes.warn },
  failed: { label: 'Failed', icon: IconCircleX, tone: classes.bad },
  skipped: { label: 'Skipped', icon: IconCircleMinus, tone: classes.muted },
};

export function StepList({ steps }: { steps: readonly DiagnosisStep[] }) {
  return (
    <ol className={classes.steps} aria-label="Steps">
      {steps.map((step) => (
        <StepItem key={step.name} step={step} />
      ))}
    </ol>
  );
}

function StepItem({ step }: { step: DiagnosisStep }) {
  const { label, icon: Glyph, tone } = STATES[step.status];
  const skipped = step.status === 'skipped';
  return (
    <li className={classes.step} data-state={step.status}>
      <Glyph size={18} aria-hidden className={tone} />
      <Stack gap={4} miw={0}>
        <Group justify="space-between" gap="xs">
          <Text fw={550}>
            {stepLabel(step.name)}
            <Text span size="xs" className={tone} ml={8}>
              {label}
            </Text>
          </Text>
          {!skipped && (
            <Text size="xs" c="dimmed">
              {duration(step.durationMs)}
            </Text>
          )}
        </Group>
        {!skipped && <Text className="rw-wrap-anywhere">{step.message}</Text>}
        {step.advice !== null && <AdviceText text={step.advice} />}
      </Stack>
    </li>
  );
}

function AdviceText({ text }: { text: string }) {
  return (
    <>
      <Text c="dimmed" className="rw-wrap-anywhere">
        {text}
      </Text>
      {copyableCommands(text).map(({ text: line, what }) => (
        <Group key={line} gap={6} wrap="nowrap">
          <Code className={classes.line} tabIndex={0}>
            {line}
          </Code>
          <CopyButton value={line} what={what} />
        </Group>
      ))}
    </>
  );
}
