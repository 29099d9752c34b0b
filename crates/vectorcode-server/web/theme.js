// Runs before the first paint, so that the page never flashes in the wrong theme. By default, the system's preference applies.
{
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}
