import { useEffect } from 'react';
import { useNavigate } from './router-context.tsx';

/** Leads on as soon as it is drawn, to what stands in the history in place of where one was. */
export function Navigate({ to }: { to: '/not-found' }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to, replace: true });
  }, [navigate, to]);
  return null;
}
