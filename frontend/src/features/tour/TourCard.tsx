import { Button, CloseButton, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { latestExecutionsQuery } from '../../api/queries/runs/executions';
import { ButtonLink } from '../../ui/page/links';
import { type TourStop, TOUR_STOPS } from './stops';
import classes from './tour.module.css';
import { useTour } from './useTour';

/** Guided tour of the demo. Covers no page on phones. */
export function TourCard() {
  const { index, goTo, end } = useTour();
  const stop = TOUR_STOPS[index];
  if (!stop) return null;
  const isLast = index === TOUR_STOPS.length - 1;
  return (
    <Paper component="aside" aria-label="Guided tour" className={classes.card} withBorder shadow="md" p="md">
      <Group justify="space-between" wrap="nowrap">
        <Text size="xs" c="dimmed">
          Tour, stop {index + 1} of {TOUR_STOPS.length}
        </Text>
        <CloseButton aria-label="Skip the tour" onClick={end} />
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
