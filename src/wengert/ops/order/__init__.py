"""Order: sorting, ranks and quantiles, unique elements, places among sorted ones, histograms, running extremes."""
