import { ActionIcon, Button, CloseButton, Group, Paper, Text, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconMinus, IconRoute } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { latestExecutionsQuery } from '../../api/queries/runs/executions';
import { ButtonLink } from '../../ui/page/links';
import { type TourStop, TOUR_STOPS } from './stops';
import classes from './tour.module.css';
import { useTour } from './useTour';

/** Guided tour of the demo. It can be minimised, because it covers part of the page. Not shown on phones. */
export function TourCard() {
  const { index, goTo, end } = useTour();
  const [isMinimised, setMinimised] = useLocalStorage({
    key: 'runward.tour.minimised',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const stop = TOUR_STOPS[index];
  if (!stop) return null;
  const isLast = index === TOUR_STOPS.length - 1;
  const progress = `Tour, stop ${index + 1} of ${TOUR_STOPS.length}`;
  if (isMinimised)
    return (
      <aside aria-label="Guided tour" className={classes.minimised}>
        <Button variant="default" leftSection={<IconRoute size={15} aria-hidden />} onClick={() => setMinimised(false)}>
          {progress}
        </Button>
      </aside>
    );
  return (
    <Paper component="aside" aria-label="Guided tour" className={classes.card} withBorder shadow="md" p="md">
      <Group justify="space-between" wrap="nowrap">
        <Text size="xs" c="dimmed">
          {progress}
        </Text>
        <Group gap={2} wrap="nowrap">
          <ActionIcon variant="subtle" color="gray" aria-label="Minimise the tour" onClick={() => setMinimised(true)}>
            <IconMinus size={16} aria-hidden />
          </ActionIcon>
          <CloseButton aria-label="Skip the tour" onClick={end} />
        </Group>
      </Group>
      <Title order={2} size="h5" mb={4}>
        {stop.title}
      </Title>
      <Text size="sm" mb="sm">
        {stop.text}
      </Text>
      <StopLink stop={stop} />
      <Group justify="space-between" mt="sm">
        <Button variant="subtle" color="gray" disabled={index === 0} onClick={() => goTo(index - 1)}>
          Back
        </Button>
        <Button variant="default" onClick={() => (isLast ? end() : goTo(index + 1))}>
          {isLast ? 'Finish' : 'Next'}
        </Button>
      </Group>
    </Paper>
  );
}

function StopLink({ stop: { place, link } }: { stop: TourStop }) {
  const label = 'run' in place ? `demo=${place.run}` : '';
  const { data: runs } = useQuery({ ...latestExecutionsQuery({ label: [label] }, 1), enabled: label !== '' });
  if (!('run' in place))
    return (
      <ButtonLink fullWidth {...place}>
        {link}
      </ButtonLink>
    );
  const run = runs?.items[0];
  if (runs && !run) return <Text size="sm">This run was deleted.</Text>;
  return (
    <ButtonLink fullWidth to="/executions/$id" params={{ id: run?.id ?? '' }} disabled={!run}>
      {link}
    </ButtonLink>
  );
}
