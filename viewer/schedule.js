// The day of a vehicle along its route, for instances with time windows: what src/problem/schedule.h computes, to look at.

const ROUNDINGS = {
  none: (length) => length,
  round: (length) => Math.floor(length + 0.5),
  trunc: Math.floor,
  dimacs: (length) => Math.floor(10 * length + 1e-9) / 10,
};

/** Whether days can be shown: there are windows, and travel times follow from the map. */
export const hasDays = (instance) => Boolean(instance.windows && ROUNDINGS[instance.rounding]);

const travel = ({ x, y, rounding }, a, b) => ROUNDINGS[rounding](Math.hypot(x[a] - x[b], y[a] - y[b]));

/** {departure, stops: [{node, arrival, start, departure, late}], back, late}, driven in this direction. late: by how much,
    0 when in time. */
function drive(instance, route) {
  const { depot, windows, service } = instance;
  const [opens, closes] = windows[depot], tolerance = 1e-6 * (closes - opens);
  const lateness = (at, end) => (at - end > tolerance ? at - end : 0);
  let now = opens, last = depot;
  const stops = route.map((node) => {
    const arrival = now + travel(instance, last, node), start = Math.max(arrival, windows[node][0]);
    now = start + service[node];
    last = node;
    return { node, arrival, start, departure: now, late: lateness(start, windows[node][1]) };
  });
  // Who would wait at the first stop leaves the depot later.
  const departure = opens + stops[0].start - stops[0].arrival;
  stops[0].arrival = stops[0].start;
  const back = now + travel(instance, last, depot);
  return { departure, stops, back, late: lateness(back, closes) };
}

const lateStops = (day) => day.stops.filter((stop) => stop.late > 0).length + (day.late > 0 ? 1 : 0);
const lateTime = (day) => day.stops.reduce((sum, stop) => sum + stop.late, day.late);

/** The day of a route of at least one customer, driven the better way: a tour says nothing about the direction. */
export function dayOf(instance, route) {
  const along = drive(instance, route), back = drive(instance, [...route].reverse());
  return (lateStops(back) - lateStops(along) || lateTime(back) - lateTime(along)) < 0 ? back : along;
}
