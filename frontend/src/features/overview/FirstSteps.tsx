import { Box, Button, Group, Paper, Progress, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { plural } from '../../ui/format/format';
import { ButtonLink } from '../../ui/page/links';
import { StartLink } from '../../ui/runs/StartLink';
import type { FirstStep } from './first-steps';

interface Props {
  steps: FirstStep[];
  planId: string | undefined;
  onDismiss: () => void;
}

export function FirstSteps({ steps, planId, onDismiss }: Props) {
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done);
  return (
    <Paper component="section" aria-labelledby="first-start" p="md" mb="lg">
      <Group justify="space-between" mb={6}>
        <Title order={2} size="h4" id="first-start">
          First steps
        </Title>
        <Group gap="sm">
          <Text size="xs" c="dimmed">
            {plural(steps.length - done, 'step')} left
          </Text>
          <Button variant="subtle" onClick={onDismiss}>
            Hide
          </Button>
        </Group>
      </Group>
      <Progress
        value={(done / steps.length) * 100}
        size="sm"
        mb="md"
        aria-label={`${done} of ${steps.length} first steps done`}
      />
      <Stack gap={2} component="ol" className="rw-plain-list">
        {steps.map((step, index) => (
          <Group component="li" key={step.key} gap="sm" wrap="nowrap" py={6}>
            <ThemeIcon
              variant={step.done ? 'filled' : 'default'}
              color={step.done ? 'iris' : undefined}
              radius="xl"
              size={24}
            >
              {step.done ? <IconCheck size={14} aria-label="Done" /> : <Text size="xs">{index + 1}</Text>}
            </ThemeIcon>
            <Box flex={1} miw={0}>
              <Text fw={step === next ? 600 : 400} c={step.done ? 'dimmed' : undefined}>
                {step.title}
              </Text>
              {step === next && (
                <Text size="xs" c="dimmed">
                  {step.text}
                </Text>
              )}
            </Box>
            {step === next && <NextStep step={step.key} planId={planId} />}
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}

function NextStep({ step, planId }: { step: FirstStep['key']; planId: string | undefined }) {
  return <Can role="operator">{linkOf(step, planId)}</Can>;
}

function linkOf(key: FirstStep['key'], planId: string | undefined) {
  switch (key) {
    case 'key':
      return (
        <ButtonLink to="/keys" search={{ open: 'new' }}>
          New key
        </ButtonLink>
      );
    case 'environment':
      return (
        <ButtonLink to="/environments" search={{ open: 'new' }}>
          New environment
        </ButtonLink>
      );
    case 'server':
      return (
        <ButtonLink to="/servers" search={{ edit: 'new' }}>
          New server
        </ButtonLink>
      );
    case 'check':
      return <ButtonLink to="/servers">Servers</ButtonLink>;
    case 'plan':
      return <ButtonLink to="/plans/new">New plan</ButtonLink>;
    case 'run':
      return planId ? <StartLink planId={planId}>Run plan</StartLink> : <ButtonLink to="/plans">Plans</ButtonLink>;
  }
}
