import { useLocalStorage } from '@mantine/hooks';

const OVER = -1;

/** Position in the guided tour, kept in this browser. */
export function useTour() {
  const [index, setIndex] = useLocalStorage<number>({
    key: 'runward.tour',
    defaultValue: 0,
    getInitialValueInEffect: false,
  });
  return { index, isOver: index === OVER, goTo: setIndex, end: () => setIndex(OVER), restart: () => setIndex(0) };
}
