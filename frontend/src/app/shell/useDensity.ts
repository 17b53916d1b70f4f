import { useLocalStorage } from '@mantine/hooks';
import { useEffect } from 'react';

export type Density = 'comfortable' | 'compact';

/** Density of tables, which this browser keeps for the member. */
export function useDensity(memberId: string): [Density, (density: Density) => void] {
  const [density, setDensity] = useLocalStorage<Density>({
    key: `runward.density.${memberId}`,
    defaultValue: 'comfortable',
    getInitialValueInEffect: false,
  });
  useEffect(() => {
    document.documentElement.dataset.density = density;
  }, [density]);
  return [density, setDensity];
}
