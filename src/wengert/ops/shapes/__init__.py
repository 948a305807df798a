"""The same elements under other shapes: views, parts, rearrangements, joins."""
